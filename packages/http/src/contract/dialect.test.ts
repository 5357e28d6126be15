import { describe, expect, it } from 'vitest'
import { dialects, dialectTable } from './dialect.ts'

describe('the dialects', () => {
  it('are two, named after themselves', () => {
    expect(Object.entries(dialects).map(([name, dialect]) => [name, dialect.name])).toEqual([
      ['neutral', 'neutral'],
      ['aws', 'aws'],
    ])
  })

  it('differ in every field, and every field is in the table once', () => {
    const listed = dialectTable.flatMap(({ fields }) => fields)
    expect([...listed].sort()).toEqual(
      Object.keys(dialects.neutral)
        .filter((field) => field !== 'name')
        .sort(),
    )
    expect(Object.keys(dialects.aws)).toEqual(Object.keys(dialects.neutral))
    for (const field of listed) expect([field, dialects.aws[field]]).not.toEqual([field, dialects.neutral[field]])
  })

  it('are described in different words at every point', () => {
    for (const { point, neutral, aws, source } of dialectTable) {
      expect([point, neutral, aws, source].every((text) => text !== '' && !text.includes('|'))).toBe(true)
      expect(neutral).not.toBe(aws)
    }
    expect(new Set(dialectTable.map(({ point }) => point)).size).toBe(dialectTable.length)
  })

  it('follow the service description exactly in dialect neutral', () => {
    expect(dialects.neutral).toMatchObject({
      versionMarkers: 'at',
      completionRepeat: 'no-such-upload',
      deleteMarkerHeader: 'always',
      ownBucketAgain: 'BucketAlreadyExists',
      formUrlencodedCompletion: 'refused',
      defaultRegion: 'eu',
      createdLocation: 'path',
    })
  })
})
