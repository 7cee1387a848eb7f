/**
 * The objects on which a program reads facts of its process and machine, captured before anything is patched.
 */
import os from 'node:os'

export const processOwners = { process, os } as const
