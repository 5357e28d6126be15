import { describe, expect, it } from 'vitest'
import type { PolicyAction } from '../policies/actions.ts'
import { objectContext as contextOf, objectInfo, type RequestSketch } from './object-context.fixture.ts'
import { annotationHeaders } from './annotation-headers.ts'

const info = objectInfo({
  tagCount: 2,
  retention: { mode: 'GOVERNANCE', until: Date.UTC(2030, 0, 1) },
  legalHold: 'OFF',
})

/** What holds of the version when it is shown. */
const annotations = async () => ({
  versionId: 'null',
  seq: info.seq,
  owner: info.owner,
  tags: [
    { key: 'a', value: '1' },
    { key: 'b', value: '2' },
  ],
  retention: info.retention,
  legalHold: info.legalHold,
})
const objectContext = (sketch: RequestSketch = {}) => contextOf({ store: { objects: { annotations } }, ...sketch })

const allowing = (...actions: PolicyAction[]): Pick<RequestSketch, 'allows'> => ({
  allows: async ({ action }) => actions.includes(action),
})

describe('headers of annotations', () => {
  it('give the number of tags, the retention and the legal hold', async () => {
    expect(await annotationHeaders(objectContext(), info)).toEqual({
      'x-amz-tagging-count': '2',
      'x-amz-object-lock-mode': 'GOVERNANCE',
      'x-amz-object-lock-retain-until-date': '2030-01-01T00:00:00.000Z',
      'x-amz-object-lock-legal-hold': 'OFF',
    })
    expect(await annotationHeaders(objectContext(), objectInfo())).toEqual({})
  })

  it('are not those of a version that took the place of the one that is shown', async () => {
    const replaced = { annotations: async () => ({ ...(await annotations()), seq: info.seq + 1 }) }
    await expect(annotationHeaders(objectContext({ store: { objects: replaced } }), info)).rejects.toMatchObject({
      code: 'ReadSetChanged',
    })
  })

  it('are left out without permission to read them', async () => {
    const names = async (sketch: RequestSketch) => Object.keys(await annotationHeaders(objectContext(sketch), info))
    expect(await names(allowing())).toEqual([])
    expect(await names(allowing('s3:GetObjectLegalHold'))).toEqual(['x-amz-object-lock-legal-hold'])
    expect(await names(allowing('s3:GetObjectTagging'))).toEqual(['x-amz-tagging-count'])
    expect(await names({ ...allowing('s3:GetObjectTagging'), versionId: 'v' })).toEqual([])
    expect(await names({ ...allowing('s3:GetObjectVersionTagging'), versionId: 'v' })).toEqual(['x-amz-tagging-count'])
  })
})
