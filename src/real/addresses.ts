/** What Node knows of IP addresses; pure, but it lives in a module that also opens sockets. */
import net from 'node:net'

export const isIP = (address: string): number => net.isIP(address)

/** Loaded on first use: the class is in a separate module of Node. */
export const newBlockList = (): net.BlockList => new net.BlockList()
