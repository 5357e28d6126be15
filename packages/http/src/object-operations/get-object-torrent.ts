import { S3Error } from '../errors/errors.ts'
import type { ObjectOperation } from '../contract/operation.ts'

/**
 * S3 no longer has torrents, and this server never had any. Depending on the dialect, an object has none, or the
 * operation is not built.
 */
export const getObjectTorrent: ObjectOperation = async ({ dialect, key }) => {
  if (dialect.torrents === 'never-there') {
    throw new S3Error('NoSuchKey', 'The specified key does not exist.', { details: { Key: key } })
  }
  throw new S3Error('NotImplemented', 'GetObjectTorrent is not implemented.')
}
