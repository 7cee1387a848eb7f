/**
 * Keeps the first error of a series of writes. After it nothing is written any more: a later line must not
 * follow a hole.
 */
export class FirstFailure {
  #error: unknown = null

  /** Null while every write succeeded. */
  get error(): unknown {
    return this.#error
  }

  attempt(write: () => void): void {
    if (this.#error !== null) return
    try {
      write()
    } catch (error) {
      this.#error = error
    }
  }

  /** Runs also after a failure, for what must be released anyway. */
  always(release: () => void): void {
    try {
      release()
    } catch (error) {
      this.#error ??= error
    }
  }
}
