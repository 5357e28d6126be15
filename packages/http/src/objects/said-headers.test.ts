import { describe, expect, it } from 'vitest'
import type { S3Action } from '../access/actions.ts'
import { objectContext, objectInfo, type RequestSketch } from './object-context.fixture.ts'
import { saidHeaders } from './said-headers.ts'

const info = objectInfo({
  tagCount: 2,
  retention: { mode: 'GOVERNANCE', until: Date.UTC(2030, 0, 1) },
  legalHold: 'OFF',
})

const allowing = (...actions: S3Action[]): Pick<RequestSketch, 'allows'> => ({
  allows: async ({ action }) => actions.includes(action),
})

describe('headers of what is said of an object', () => {
  it('tell how many tags, until when, and whether it is held', async () => {
    expect(await saidHeaders(objectContext(), info)).toEqual({
      'x-amz-tagging-count': '2',
      'x-amz-object-lock-mode': 'GOVERNANCE',
      'x-amz-object-lock-retain-until-date': '2030-01-01T00:00:00.000Z',
      'x-amz-object-lock-legal-hold': 'OFF',
    })
    expect(await saidHeaders(objectContext(), objectInfo())).toEqual({})
  })

  it('tell nobody who may not ask', async () => {
    const names = async (sketch: RequestSketch) => Object.keys(await saidHeaders(objectContext(sketch), info))
    expect(await names(allowing())).toEqual([])
    expect(await names(allowing('s3:GetObjectLegalHold'))).toEqual(['x-amz-object-lock-legal-hold'])
    expect(await names(allowing('s3:GetObjectTagging'))).toEqual(['x-amz-tagging-count'])
    expect(await names({ ...allowing('s3:GetObjectTagging'), versionId: 'v' })).toEqual([])
    expect(await names({ ...allowing('s3:GetObjectVersionTagging'), versionId: 'v' })).toEqual(['x-amz-tagging-count'])
  })
})
