export { type ErrorCode, errorCodes, isRepriseError, RepriseError } from '../errors/index.ts'
export * from '../scrub/index.ts'
export * from '../tape/index.ts'
export * from '../testbench/index.ts'
