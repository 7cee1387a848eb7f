export { type ErrorCode, errorCodes, isRepriseError, RepriseError } from '../errors/index.ts'
