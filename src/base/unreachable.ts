/** Ends an exhaustive switch: a member added to the union becomes a type error here. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`)
}
