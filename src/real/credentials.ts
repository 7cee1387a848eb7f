/**
 * Who this process is to the file system. Where the operating system knows no such thing it may do
 * everything.
 */
const { geteuid, getegid, getgroups, umask } = process

export const effectiveUser: () => number = () => geteuid?.call(process) ?? 0
export const effectiveGroups: () => readonly number[] = () => [
  getegid?.call(process) ?? 0,
  ...(getgroups?.call(process) ?? []),
]
/** Bits that new files do not get. */
export const realUmask: () => number = () => Reflect.apply(umask, process, [])
