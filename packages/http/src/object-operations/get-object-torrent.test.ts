import { describe, expect, it } from 'vitest'
import { dialects } from '../contract/dialect.ts'
import { objectContext } from '../objects/object-context.fixture.ts'
import { getObjectTorrent } from './get-object-torrent.ts'

describe('GetObjectTorrent', () => {
  it('finds none where S3 had some, and is not implemented elsewhere', async () => {
    const requested = (dialect: keyof typeof dialects) =>
      getObjectTorrent(objectContext({ dialect: dialects[dialect] }))
    await expect(requested('aws')).rejects.toMatchObject({ code: 'NoSuchKey', details: { Key: 'k' } })
    await expect(requested('neutral')).rejects.toMatchObject({ code: 'NotImplemented' })
  })
})
