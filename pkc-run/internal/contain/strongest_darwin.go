package contain

func strongest() Group { return newProcessGroup() }
