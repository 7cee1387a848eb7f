/** What Node knows of IP addresses; pure, but it lives in a module that also opens sockets. */
import net from 'node:net'

export const { BlockList, isIP } = net
