import { describe, expect, it } from 'vitest'
import { dialects } from '../contract/dialect.ts'
import { objectContext } from '../objects/object-context.fixture.ts'
import { getObjectTorrent } from './get-object-torrent.ts'

describe('GetObjectTorrent', () => {
  it('finds none where S3 had some, and is not implemented elsewhere', async () => {
    const asked = (dialect: keyof typeof dialects) => getObjectTorrent(objectContext({ dialect: dialects[dialect] }))
    await expect(asked('aws')).rejects.toMatchObject({ code: 'NoSuchKey', details: { Key: 'k' } })
    await expect(asked('neutral')).rejects.toMatchObject({ code: 'NotImplemented' })
  })
})
