import { isStorageError, type StorageError } from '@varve/core'
import { S3Error } from '../errors/errors.ts'
import { formatHttpDate } from '../headers/http-date.ts'

/** What is said of objects that are not there, or are delete markers. Anything else as it is. */
export function absence(error: unknown): unknown {
  if (isStorageError(error, 'NoSuchKey')) return noSuchKey(error)
  return isStorageError(error, 'MethodNotAllowed') ? deleteMarker(error) : error
}

/** The key's newest version is a delete marker: the answer says so, the document does not. */
function noSuchKey({ message, details }: StorageError): S3Error {
  return new S3Error('NoSuchKey', message, {
    details: { Key: String(details['Key']) },
    headers: details['DeleteMarker'] === true ? markerHeaders(details) : {},
  })
}

/** A delete marker named by its id can be deleted and nothing else. */
function deleteMarker({ message, details }: StorageError): S3Error {
  return new S3Error('MethodNotAllowed', message, {
    details: { Method: 'GET', ResourceType: 'DeleteMarker' },
    headers: {
      ...markerHeaders(details),
      allow: 'DELETE',
      'last-modified': formatHttpDate(new Date(String(details['LastModified']))),
    },
  })
}

function markerHeaders(details: StorageError['details']): Readonly<Record<string, string>> {
  return { 'x-amz-delete-marker': 'true', 'x-amz-version-id': String(details['VersionId']) }
}
