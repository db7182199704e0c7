//go:build darwin || freebsd

package pump

const fionread = 0x4004667f // FIONREAD, sys/filio.h
