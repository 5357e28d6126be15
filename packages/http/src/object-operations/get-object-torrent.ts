import { S3Error } from '../errors/errors.ts'
import type { ObjectOperation } from '../contract/operation.ts'

/** S3 has ended torrents, and here there never were any: an object that is there has none either. */
export const getObjectTorrent: ObjectOperation = async ({ dialect, key }) => {
  if (dialect.torrents === 'never-there') {
    throw new S3Error('NoSuchKey', 'The specified key does not exist.', { details: { Key: key } })
  }
  throw new S3Error('NotImplemented', 'GetObjectTorrent is not implemented.')
}
