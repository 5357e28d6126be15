import { describe, expect, it } from 'vitest'
import { bypassesGovernance, refuseNeedlessBypass } from './bypass-governance.ts'
import { objectContext, type RequestSketch } from '../objects/object-context.fixture.ts'

const asking = (word: string | undefined, more: RequestSketch = {}) =>
  objectContext({ headers: word === undefined ? {} : { 'x-amz-bypass-governance-retention': word }, ...more })

const inBucket = (settings: object) => ({ store: { buckets: { head: async () => ({ settings }) } } })

describe('x-amz-bypass-governance-retention', () => {
  it('takes effect only if it is requested and permitted', async () => {
    expect(await bypassesGovernance(asking('true'), { key: 'k' })).toBe(true)
    expect(await bypassesGovernance(asking('True '), { key: 'k' })).toBe(true)
    expect(await bypassesGovernance(asking('false'), { key: 'k' })).toBe(false)
    expect(await bypassesGovernance(asking(undefined), { key: 'k' })).toBe(false)
    const questions: unknown[] = []
    const allows: RequestSketch['allows'] = async (permission) => {
      questions.push(permission)
      return false
    }
    expect(await bypassesGovernance(asking('true', { allows }), { key: 'k' })).toBe(false)
    expect(questions).toEqual([{ action: 's3:BypassGovernanceRetention', bucket: 'b', key: 'k' }])
  })

  it.each(['true', 'false'])('%s is refused where nothing can be locked', async (word) => {
    await expect(refuseNeedlessBypass(asking(word, inBucket({})))).rejects.toMatchObject({
      code: 'InvalidArgument',
      message: 'x-amz-bypass-governance-retention is only applicable to Object Lock enabled buckets.',
    })
    await refuseNeedlessBypass(asking(word, inBucket({ ObjectLock: 3 })))
    await refuseNeedlessBypass(asking(undefined))
  })
})
