import { StorageError } from '../base/errors.ts'

/** S3's storage classes. They are only stored and returned, because a store has only one kind of storage. */
const storageClasses: ReadonlySet<string> = new Set([
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'GLACIER_IR',
  'DEEP_ARCHIVE',
])

/** Whether S3 has this storage class. */
export const isStorageClass = (storageClass: string): boolean => storageClasses.has(storageClass)

/** @throws StorageError `InvalidStorageClass`. */
export function checkStorageClass(storageClass: string): void {
  if (isStorageClass(storageClass)) return
  throw new StorageError('InvalidStorageClass', 'The storage class you specified is not valid', {
    details: { StorageClassRequested: storageClass.slice(0, 256) },
  })
}
