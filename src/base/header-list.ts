/**
 * HTTP headers as they were sent: in order, with every repetition, in the case in which they were written.
 */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** The value of the first header with this name, which is given in lower case. */
export function headerOf(headers: HeaderList, lowerCaseName: string): string | undefined {
  return headers.find(
    ([name]) => name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName,
  )?.[1]
}
