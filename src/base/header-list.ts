/**
 * HTTP headers as they were sent: in order, with every repetition, in the case in which they were written.
 */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** The value of the first header with this name, which is given in lower case. */
export function headerOf(headers: HeaderList, lowerCaseName: string): string | undefined {
  for (const [name, value] of headers)
    if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) return value
  return undefined
}
