import { describe, expect, it } from 'vitest'
import type { RequestLog } from '../contract/request-log.ts'
import { fakeStore } from '../fake-store.fixture.ts'
import type { SentRequest } from './access-line.ts'
import { collectAccess, type LoggedAccess } from './collect-access.ts'

const entry: RequestLog = {
  requestId: 'R1',
  time: 0,
  method: 'GET',
  operation: 'GetObject',
  bucket: 'photos',
  key: 'cat.png',
  path: '/photos/cat.png',
  status: 200,
  durationMs: 1,
  bytesReceived: 0,
  bytesSent: 1,
}
const sent: SentRequest = { rawUrl: '/', httpVersion: '1.1', rawHeaders: [], answer: {}, answeredMs: 1 }

function collecting(isLogged: () => boolean) {
  let reads = 0
  const passed: LoggedAccess[] = []
  const settings = {
    async get() {
      reads++
      return isLogged() ? { targetBucket: 'logs', targetPrefix: 'web/' } : undefined
    },
  }
  const head = async () => ({ owner: { id: 'ann', name: 'Ann' }, region: 'eu' })
  const store = fakeStore({ buckets: { settings, head } } as never)
  const log = collectAccess({ store, pass: (access) => void passed.push(access), close: async () => undefined })
  return { log, passed, reads: () => reads }
}

describe('the lines of access logs', () => {
  it('are made for buckets with the setting, which is read once for many requests', async () => {
    const { log, passed, reads } = collecting(() => true)
    for (let at = 0; at < 3; at++) log.ended(entry, () => sent)
    await log.close()
    log.ended(entry, () => sent)
    expect(passed).toHaveLength(4)
    expect(passed[0]).toMatchObject({ bucket: 'photos', owner: 'ann', region: 'eu', target: { targetBucket: 'logs' } })
    expect(reads()).toBe(1)
  })

  it('begin at once after the setting was made', async () => {
    let isLogged = false
    const { log, passed } = collecting(() => isLogged)
    log.ended(entry, () => sent)
    await log.close()
    isLogged = true
    log.ended({ ...entry, operation: 'PutBucketLogging' }, () => sent)
    log.ended(entry, () => sent)
    await log.close()
    expect(passed).toHaveLength(1)
  })

  it('cost no read for a bucket that does not exist', async () => {
    const { log, reads } = collecting(() => true)
    log.ended({ ...entry, errorCode: 'NoSuchBucket' }, () => sent)
    await log.close()
    expect(reads()).toBe(0)
  })
})
