package capture

const nonblock = 0
