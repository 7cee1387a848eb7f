/** First in, first out, in constant time however long it is. */
export class Queue<T> {
  #items: (T | undefined)[] = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  peek(): T | undefined {
    return this.#items[this.#head]
  }

  shift(): T | undefined {
    const item = this.#items[this.#head]
    if (item === undefined) return undefined
    // An item may hold megabytes: the queue must not keep what it has returned.
    this.#items[this.#head] = undefined
    this.#head += 1
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  *[Symbol.iterator](): Generator<T> {
    for (let at = this.#head; at < this.#items.length; at += 1) {
      const item = this.#items[at]
      if (item !== undefined) yield item
    }
  }
}
