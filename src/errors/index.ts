export { type ErrorCode, errorCodes } from './codes.ts'
export { isRepriseError, RepriseError } from './reprise-error.ts'
export { fromSystemError, systemCode, withSystemErrors } from './system-error.ts'
