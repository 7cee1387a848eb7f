/**
 * A base class that is loaded when the first object of it is made. A class that extends it is there at once,
 * and its objects are in every way objects of the base: the module that has the base need not be loaded for a
 * program that never gets one.
 */

// biome-ignore lint/suspicious/noExplicitAny: a base takes whatever it takes
type Class = new (...args: any[]) => object

export function lateBase<C extends Class>(load: () => C): C {
  function Late(this: unknown, ...args: unknown[]): object {
    const base = load()
    if (Object.getPrototypeOf(Late.prototype) !== base.prototype) {
      Object.setPrototypeOf(Late.prototype, base.prototype)
      Object.setPrototypeOf(Late, base)
    }
    return Reflect.construct(base, args, new.target ?? Late)
  }
  // The one place where a function is used as a class.
  return Late as never
}
