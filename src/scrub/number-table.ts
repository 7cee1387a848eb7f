/** A table of 32-bit numbers that grows, without an object for each row. The numbers of a row are neighbours. */
export class NumberTable {
  readonly #columns: number
  #numbers: Int32Array
  #rows = 0

  constructor(columns: number) {
    this.#columns = columns
    this.#numbers = new Int32Array(columns << 8)
  }

  /** Returns the number of the new row. */
  push(...row: readonly number[]): number {
    const start = this.#rows * this.#columns
    if (start === this.#numbers.length) {
      const longer = new Int32Array(start * 2)
      longer.set(this.#numbers)
      this.#numbers = longer
    }
    this.#numbers.set(row, start)
    return this.#rows++
  }

  get rows(): number {
    return this.#rows
  }

  at(row: number, column: number): number {
    return this.#numbers[row * this.#columns + column] ?? 0
  }

  set(row: number, column: number, number: number): void {
    this.#numbers[row * this.#columns + column] = number
  }
}
