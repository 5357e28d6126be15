import type { DeleteResult, VersioningStatus } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { dialects } from '../contract/dialect.ts'
import type { DialectName } from '../contract/dialect.ts'
import { objectContext } from '../objects/object-context.fixture.ts'
import { deleteObject } from './delete-object.ts'

async function headersOf(
  dialect: DialectName,
  result: DeleteResult,
  versioning: VersioningStatus | undefined,
): Promise<object | undefined> {
  const store = { objects: { delete: async () => result }, buckets: { getVersioning: async () => versioning } }
  const answer = await deleteObject(objectContext({ store, dialect: dialects[dialect] }))
  if (!('status' in answer)) throw new TypeError('A delete is not slow.')
  expect(answer.status).toBe(204)
  return answer.headers
}

describe.each(['neutral', 'aws'] as const)('DeleteObject in dialect %s', (dialect) => {
  it('names the marker it made', async () => {
    const marker = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': 'm' }
    expect(await headersOf(dialect, { versionId: 'm', deleteMarker: true }, 'Enabled')).toEqual(marker)
  })

  it('names the null marker of a suspended bucket', async () => {
    const marker = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': 'null' }
    expect(await headersOf(dialect, { versionId: 'null', deleteMarker: true }, 'Suspended')).toEqual(marker)
  })

  it('names the removed version, and states that it was no marker if the dialect requires it', async () => {
    const markerHeaders = dialect === 'neutral' ? { 'x-amz-delete-marker': 'false' } : {}
    const headers = await headersOf(dialect, { versionId: 'v', deleteMarker: false }, 'Enabled')
    expect(headers).toEqual({ ...markerHeaders, 'x-amz-version-id': 'v' })
  })

  it('names no version in a bucket that never had versioning', async () => {
    expect(await headersOf(dialect, { deleteMarker: false }, undefined)).toEqual({})
    expect(await headersOf(dialect, { versionId: 'null', deleteMarker: false }, undefined)).toEqual({})
  })
})
