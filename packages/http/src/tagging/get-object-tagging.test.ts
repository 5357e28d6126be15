import { StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { objectContext } from '../objects/object-context.fixture.ts'
import { answerText } from '../contract/answer-text.fixture.ts'
import { getObjectTagging } from './get-object-tagging.ts'

const annotated = { versionId: 'v', owner: { id: 'o', name: 'o' } }
const contextWith = (annotations: () => Promise<object>) => objectContext({ store: { objects: { annotations } } })

describe('GetObjectTagging', () => {
  it('returns the tags of an object, and its version', async () => {
    const tags = [{ key: 'a', value: '<1>' }]
    const answer = await getObjectTagging(contextWith(async () => ({ ...annotated, tags })))
    expect(answer).toMatchObject({ status: 200, headers: { 'x-amz-version-id': 'v' } })
    expect(answerText(answer)).toContain('<TagSet><Tag><Key>a</Key><Value>&lt;1&gt;</Value></Tag></TagSet>')
  })

  it('returns an empty set for an object without tags', async () => {
    const answer = await getObjectTagging(contextWith(async () => annotated))
    expect(answerText(answer)).toContain('<Tagging><TagSet></TagSet></Tagging>')
  })

  it('finds no tags on what is not there', async () => {
    const absent = contextWith(() => Promise.reject(new StorageError('NoSuchKey', 'not there')))
    await expect(getObjectTagging(absent)).rejects.toMatchObject({ code: 'NoSuchKey' })
  })

  it.each(['NoSuchKey', 'MethodNotAllowed'] as const)(
    'finds none on a delete marker, named or newest: %s',
    async (code) => {
      const details = { DeleteMarker: true, VersionId: 'm', Method: 'GET' }
      const marker = contextWith(() => Promise.reject(new StorageError(code, 'a marker', { details })))
      await expect(getObjectTagging(marker)).rejects.toMatchObject({
        code: 'MethodNotAllowed',
        details: { Method: 'GET', ResourceType: 'DeleteMarker' },
        headers: { 'x-amz-delete-marker': 'true', 'x-amz-version-id': 'm' },
      })
    },
  )
})
