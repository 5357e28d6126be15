import { StorageError } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { pauseBefore, RetryBudget } from './retry-budget.ts'
import { faultOf, mayPass, s3Failure } from './s3-failure.ts'
import { S3Requests } from './s3-requests.ts'
import { s3Turns } from './s3-turns.ts'

const limits = { timeoutMs: 1000, retries: 2, connections: 2, renew: async () => undefined }
const refused = (code: string) => Object.assign(new Error('refused'), { name: 'Error', code })
const answer = (status: number, name: string) =>
  Object.assign(new Error('refused'), { name, $metadata: { httpStatusCode: status } })

describe('errors of S3', () => {
  it.each([
    [answer(503, 'SlowDown'), 'SlowDown', true, 'BlobFailed'],
    [answer(500, 'Unknown'), 'status500', true, 'BlobFailed'],
    [answer(403, 'AccessDenied'), 'AccessDenied', false, 'BlobFailed'],
    [answer(403, '403'), 'status403', false, 'BlobFailed'],
    [answer(400, 'XAmzContentSHA256Mismatch'), 'XAmzContentSHA256Mismatch', true, 'BlobFailed'],
    [answer(400, 'ExpiredToken'), 'ExpiredToken', false, 'BlobFailed'],
    [answer(501, 'NotImplemented'), 'NotImplemented', false, 'BlobFailed'],
    [answer(507, 'XMinioStorageFull'), 'XMinioStorageFull', false, 'NoSpace'],
    [answer(403, 'QuotaExceeded'), 'QuotaExceeded', false, 'NoSpace'],
    [Object.assign(new Error('reset'), { name: 'TimeoutError', code: 'ECONNRESET' }), 'ECONNRESET', true, 'BlobFailed'],
    [
      Object.assign(new Error('no key'), { name: 'CredentialsProviderError' }),
      'CredentialsProviderError',
      false,
      'BlobFailed',
    ],
    [refused('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', false, 'BlobFailed'],
    [refused('CERT_NOT_YET_VALID'), 'CERT_NOT_YET_VALID', false, 'BlobFailed'],
    [refused('ERR_TLS_CERT_ALTNAME_INVALID'), 'ERR_TLS_CERT_ALTNAME_INVALID', false, 'BlobFailed'],
    ['a text', 'connection', true, 'BlobFailed'],
    [undefined, 'connection', true, 'BlobFailed'],
  ])('%s', (error, kind, passes, code) => {
    expect(faultOf(error).kind).toBe(kind)
    expect(mayPass(faultOf(error))).toBe(passes)
    expect(s3Failure(error, 'Work')).toMatchObject({ code, details: { kind } })
  })

  it('keep their code if they are errors of the store, and no connection', () => {
    const own = new StorageError('BlobMissing', '')
    expect(s3Failure(own, 'Work')).toBe(own)
    // As the SDK does.
    const error = Object.defineProperty(answer(503, 'SlowDown'), '$response', { value: { socket: 1 } })
    const { cause } = s3Failure(error, 'Work')
    expect(cause).not.toHaveProperty('$response')
    expect(cause).toMatchObject({ name: 'SlowDown', message: error.message, stack: error.stack })
  })
})

describe('requests', () => {
  it('are repeated a limited number of times, and all together within a budget', async () => {
    const requests = new S3Requests({ ...limits, retries: 1 })
    let calls = 0
    const failing = () =>
      requests.run('Work', async () => {
        calls++
        throw answer(503, 'SlowDown')
      })
    await expect(failing()).rejects.toMatchObject({ details: { kind: 'SlowDown' } })
    expect(calls).toBe(2)
    while (requests.mayRepeat());
    await expect(failing()).rejects.toMatchObject({ details: { kind: 'SlowDown' } })
    expect(calls).toBe(3)
    for (let n = 0; n < 20; n++) await requests.run('Work', async () => n)
    expect([requests.mayRepeat(), requests.mayRepeat(), requests.mayRepeat()]).toEqual([true, true, false])
  })

  it('get new credentials for later ones also if they are not repeated themselves', async () => {
    let isValid = false
    const renew = async () => void (isValid = true)
    const work = async () => {
      if (!isValid) throw answer(400, 'ExpiredToken')
      return 'done'
    }
    for (const retries of [0, 2]) {
      isValid = false
      const requests = new S3Requests({ ...limits, retries, renew })
      while (requests.mayRepeat());
      await expect(requests.run('Work', work)).rejects.toMatchObject({ details: { kind: 'ExpiredToken' } })
      expect(await requests.run('Work', work)).toBe('done')
    }
  })

  it('that are refused together get new credentials once', async () => {
    let renewals = 0
    const requests = new S3Requests({ ...limits, connections: 9, renew: async () => void renewals++ })
    const work = async (n: number) => {
      const isExpired = renewals === 0
      await new Promise((resolve) => setTimeout(resolve, 5 * n))
      if (isExpired) throw answer(400, 'ExpiredToken')
      return n
    }
    const all = [0, 1, 2, 3].map((n) => requests.run('Work', () => work(n)))
    expect([await Promise.all(all), renewals]).toEqual([[0, 1, 2, 3], 1])
  })

  it('end at their deadline, and with the reason of the signal', async () => {
    const requests = new S3Requests({ ...limits, timeoutMs: 20, retries: 1 })
    const stalled = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))))
    await expect(requests.run('Work', stalled)).rejects.toMatchObject({
      code: 'BlobFailed',
      details: { kind: 'timeout' },
    })
    const [reason, abort] = [new RangeError('enough'), new AbortController()]
    const ended = requests.run('Work', stalled, { signal: abort.signal })
    abort.abort(reason)
    await expect(ended).rejects.toBe(reason)
    await expect(requests.run('Work', stalled, { signal: abort.signal })).rejects.toBe(reason)
  })

  it('wait for a connection in order, and not for ever', async () => {
    const turns = s3Turns(1, 20, 'connections')
    await turns.take()
    await expect(turns.take()).rejects.toMatchObject({ code: 'TooManyOpenFiles', details: { kind: 'connections' } })
    const abort = new AbortController()
    const aborted = turns.take(abort.signal)
    const order: number[] = []
    const waiting = [1, 2].map((n) => turns.take().then(() => order.push(n)))
    expect(turns.isAwaited).toBe(true)
    abort.abort(new RangeError('enough'))
    await expect(aborted).rejects.toThrow(RangeError)
    for (let n = 0; n < 3; n++) turns.give()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2])
    expect([turns.tryTake(), turns.tryTake()]).toEqual([true, false])
  })
})

describe('pauses', () => {
  it('are random up to a limit that grows and ends', () => {
    expect([0, 1, 2, 50].map((n) => pauseBefore(n, 1))).toEqual([100, 200, 400, 5000])
    expect(pauseBefore(3, 0)).toBe(0)
    const budget = new RetryBudget()
    let spent = 0
    while (budget.spend()) spent++
    expect(spent).toBe(100)
  })
})
