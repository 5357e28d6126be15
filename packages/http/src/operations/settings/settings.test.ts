import type { SettingKind, SettingValues } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { objectContext, type RequestSketch } from '../../objects/object-context.fixture.ts'
import { answerText } from '../answer-text.fixture.ts'
import type { BucketContext, BucketRow } from '../operation.ts'
import { bucketSettingRows } from './index.ts'

/** A bucket that has what it was told. */
function bucket(held: Partial<SettingValues> = {}) {
  const settings = new Map<SettingKind, unknown>(Object.entries(held) as [SettingKind, unknown][])
  const room = {
    get: async (_bucket: string, kind: SettingKind) => settings.get(kind),
    put: async (_bucket: string, kind: SettingKind, value: unknown) => void settings.set(kind, value),
    remove: async (_bucket: string, kind: SettingKind) => void settings.delete(kind),
  }
  const ask = (method: BucketRow['method'], subresource: string, sketch: RequestSketch & { text?: string } = {}) => {
    const { text = '', ...rest } = sketch
    const row = bucketSettingRows.find((one) => one.method === method && one.when.query?.[0] === subresource)
    const body = { ...objectContext().body, small: async () => Buffer.from(text) }
    const context = objectContext({ body, store: { buckets: { settings: room } }, ...rest })
    return (row as BucketRow).handler(context as BucketContext)
  }
  return { ask, settings }
}

interface Example {
  readonly subresource: string
  readonly kind: SettingKind
  readonly value: unknown
  readonly sent: string
  /** What is given back, where that is not what was sent. */
  readonly shown?: string
}

const acceleration: Example = {
  subresource: 'accelerate',
  kind: 'Acceleration',
  value: 'Enabled',
  sent: '<AccelerateConfiguration><Status>Enabled</Status></AccelerateConfiguration>',
}

const examples: readonly Example[] = [
  acceleration,
  {
    subresource: 'requestPayment',
    kind: 'RequestPayment',
    value: 'Requester',
    sent: '<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>',
  },
]

describe('a setting', () => {
  it.each(examples)(
    '$subresource is read, kept and given back',
    async ({ subresource, kind, value, sent, shown = sent }) => {
      const { ask, settings } = bucket()
      await ask('PUT', subresource, { text: sent })
      expect(settings.get(kind)).toEqual(value)
      expect(answerText(await ask('GET', subresource))).toBe(shown)
    },
  )

  it.each(examples)('$subresource is not set by a request without a body', async ({ subresource }) => {
    await expect(bucket().ask('PUT', subresource)).rejects.toMatchObject({ code: 'MissingRequestBodyError' })
  })
})

describe('a setting that is not there', () => {
  it.each([
    ['accelerate', '<AccelerateConfiguration></AccelerateConfiguration>'],
    ['requestPayment', '<RequestPaymentConfiguration><Payer>BucketOwner</Payer></RequestPaymentConfiguration>'],
  ])('%s is answered as S3 does', async (subresource, shown) => {
    expect(answerText(await bucket().ask('GET', subresource))).toBe(shown)
  })
})

describe('what cannot be', () => {
  it.each([
    ['accelerate', 'MalformedXML', '<AccelerateConfiguration><Status>On</Status></AccelerateConfiguration>'],
    ['requestPayment', 'MalformedXML', '<RequestPaymentConfiguration/>'],
  ])('%s is refused with %s', async (subresource, code, text) => {
    await expect(bucket().ask('PUT', subresource, { text })).rejects.toMatchObject({ code })
  })

  it('no bucket with a dot in its name is accelerated', async () => {
    const { sent: text } = acceleration
    const asked = bucket().ask('PUT', 'accelerate', { text, bucket: 'a.b' })
    await expect(asked).rejects.toMatchObject({ code: 'InvalidRequest' })
  })
})
