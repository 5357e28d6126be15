/** Answers to CreateMultipartUpload and ListParts say when a lifecycle rule aborts the upload. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus, openTestService, type TestService } from '../support/test-service.ts'

const dayMs = 24 * 60 * 60 * 1000

interface Rule {
  readonly id: string
  readonly prefix: string
  readonly days: number
  readonly status?: 'Enabled' | 'Disabled'
}

const ruleText = ({ id, prefix, days, status = 'Enabled' }: Rule): string =>
  `<Rule><ID>${id}</ID><Filter><Prefix>${prefix}</Prefix></Filter><Status>${status}</Status>` +
  `<AbortIncompleteMultipartUpload><DaysAfterInitiation>${days}</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule>`

const expiring =
  '<Rule><ID>objects</ID><Filter><Prefix/></Filter><Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule>'

describe('the date at which an upload is aborted', () => {
  let service: TestService
  let bucket: string
  beforeAll(async () => {
    service = await openTestService({ dialect: 'aws' })
    bucket = await service.bucket()
  })
  afterAll(() => service.stop())

  async function setRules(rules: readonly Rule[]): Promise<void> {
    const body = `<LifecycleConfiguration>${rules.map(ruleText).join('')}${expiring}</LifecycleConfiguration>`
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
    expectStatus(await service.ask(`PUT /${bucket}?lifecycle`, { body, headers }), 200)
  }

  /** What both operations say of a new upload, and the days from now, rounded up to midnight, that they may say. */
  async function answersFor(key: string) {
    const began = Date.now()
    const created = expectStatus(await service.ask(`POST /${bucket}/${key}?uploads`), 200)
    const uploadId = created.xml().get('UploadId') ?? ''
    const listed = expectStatus(await service.ask(`GET /${bucket}/${key}?uploadId=${uploadId}`), 200)
    const [first, second] = [created, listed].map(({ headers }) => ({
      date: headers['x-amz-abort-date'],
      rule: headers['x-amz-abort-rule-id'],
    }))
    expect(second).toEqual(first)
    const inDays = (days: number) =>
      [began, Date.now()].map((now) => new Date(Math.ceil((now + days * dayMs) / dayMs) * dayMs).toUTCString())
    return { ...first, inDays }
  }

  it('is the next midnight after the days of the earliest rule whose prefix the key has', async () => {
    await setRules([
      { id: 'all', prefix: '', days: 9 },
      { id: 'late', prefix: 'logs/', days: 20 },
      { id: 'early', prefix: 'logs/a', days: 3 },
      { id: 'off', prefix: '', days: 1, status: 'Disabled' },
    ])
    for (const [key, rule, days] of [
      ['logs/abc', 'early', 3],
      ['logs/b', 'all', 9],
      ['k', 'all', 9],
    ] as const) {
      const found = await answersFor(key)
      expect(found.rule).toBe(rule)
      expect(found.inDays(days)).toContain(found.date)
    }
  })

  it('is absent where no rule aborts the upload', async () => {
    await setRules([
      { id: 'logs', prefix: 'logs/', days: 1 },
      { id: 'off', prefix: '', days: 1, status: 'Disabled' },
    ])
    expect(await answersFor('k')).toMatchObject({ date: undefined, rule: undefined })
    expectStatus(await service.ask(`DELETE /${bucket}?lifecycle`), 204)
    expect(await answersFor('logs/k')).toMatchObject({ date: undefined, rule: undefined })
  })

  it('follows the rules of today for an upload that is older', async () => {
    const { path, uploadId } = await service.upload(`/${bucket}/older`)
    await setRules([{ id: 'a rule ü', prefix: 'old', days: 2 }])
    const { headers } = expectStatus(await service.ask(`GET ${path}?uploadId=${uploadId}`), 200)
    expect(headers['x-amz-abort-rule-id']).toBe(encodeURIComponent('a rule ü'))
    expect(headers['x-amz-abort-date']).toMatch(/ 00:00:00 GMT$/)
  })
})
