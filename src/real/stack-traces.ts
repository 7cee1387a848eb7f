/** How Node makes stacks, captured before a program changes it. */

/** What Node formats stacks with; undefined in those that have no such function. */
export const nodesPrepareStackTrace: unknown = Error.prepareStackTrace

export const { captureStackTrace } = Error
