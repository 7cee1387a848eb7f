/** @deprecated Hashing needs no preparation any more. Kept for programs that were written for 0.1 and await it. */
export function prepareBlake3(): Promise<void> {
  return Promise.resolve()
}
