package installed

const ext = ".exe"
