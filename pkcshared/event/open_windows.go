package event

const nonblock = 0
