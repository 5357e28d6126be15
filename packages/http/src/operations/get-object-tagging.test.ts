import { StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { objectContext, objectInfo } from '../objects/object-context.fixture.ts'
import { answerText } from './answer-text.fixture.ts'
import { getObjectTagging } from './get-object-tagging.ts'

const contextWith = (head: () => Promise<ReturnType<typeof objectInfo>>) =>
  objectContext({ store: { objects: { head } } })

describe('GetObjectTagging', () => {
  it('says that an object has no tags, and which version that is', async () => {
    const answer = await getObjectTagging(
      contextWith(async () => objectInfo({ versionId: 'v', bucketVersioning: 'Enabled' })),
    )
    expect(answer).toMatchObject({ status: 200, headers: { 'x-amz-version-id': 'v' } })
    expect(answerText(answer)).toContain('<Tagging><TagSet></TagSet></Tagging>')
  })

  it('finds no tags on what is not there', async () => {
    const absent = contextWith(() => Promise.reject(new StorageError('NoSuchKey', 'not there')))
    await expect(getObjectTagging(absent)).rejects.toMatchObject({ code: 'NoSuchKey' })
  })
})
