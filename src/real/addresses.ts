/** What Node knows of IP addresses; pure, but it lives in a module that also opens sockets. */
import net from 'node:net'

export const isIP = (address: string): number => net.isIP(address)

/** Asked for when it is needed: the class is in a part of Node of its own. */
export const newBlockList = (): net.BlockList => new net.BlockList()
