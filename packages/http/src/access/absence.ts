import { isStorageError, type StorageError } from '@varve/core'
import { errorTable } from '../errors/error-table.ts'
import { S3Error } from '../errors/errors.ts'
import { formatHttpDate } from '../headers/http-date.ts'

/** The S3 error for an object that does not exist or is a delete marker. Other errors are returned unchanged. */
export function absence(error: unknown): unknown {
  if (isStorageError(error, 'NoSuchKey')) return noSuchKey(error)
  return isStorageError(error, 'MethodNotAllowed') ? deleteMarker(error) : error
}

/** If the newest version of the key is a delete marker, the headers name it; the document does not. */
function noSuchKey({ details }: StorageError): S3Error {
  return new S3Error('NoSuchKey', errorTable.NoSuchKey.message, {
    details: { Key: String(details['Key']) },
    headers: details['DeleteMarker'] === true ? markerHeaders(details) : {},
  })
}

/** A delete marker that is named by its version id allows only DELETE. */
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
