export type * from './ports/index.ts'
export { isStorageError, StorageError } from './errors.ts'
export type { EngineErrorCode, ErrorCode, ErrorDetails, S3ErrorCode } from './errors.ts'
