/** A list of 32-bit numbers that grows, without an object for each of them. */
export class NumberList {
  #numbers = new Int32Array(1 << 10)
  #length = 0

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const longer = new Int32Array(this.#length * 2)
      longer.set(this.#numbers)
      this.#numbers = longer
    }
    this.#numbers[this.#length++] = number
  }

  get length(): number {
    return this.#length
  }

  at(index: number): number {
    return this.#numbers[index] ?? 0
  }

  set(index: number, number: number): void {
    this.#numbers[index] = number
  }
}
