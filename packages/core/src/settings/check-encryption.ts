import { StorageError } from '../base/errors.ts'
import type { BucketEncryption } from './encryption.ts'

/** The key is looked up in the keyring only when it is used. @throws StorageError `InvalidArgument`. */
export function checkEncryption({ mode, keyName }: BucketEncryption): void {
  if (mode !== 'AES256' && mode !== 'aws:kms' && mode !== 'aws:kms:dsse') {
    throw invalid('the default sse algorithm must be AES256, aws:kms or aws:kms:dsse')
  }
  if (keyName === undefined || mode !== 'AES256') return
  throw invalid('a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or aws:kms:dsse')
}

const invalid = (message: string): StorageError =>
  new StorageError('InvalidArgument', message, { details: { ArgumentName: 'ApplyServerSideEncryptionByDefault' } })
