import { StorageError } from '../errors.ts'

export const noSuchUpload = (): StorageError =>
  new StorageError(
    'NoSuchUpload',
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  )
