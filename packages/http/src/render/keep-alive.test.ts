import { describe, expect, it } from 'vitest'
import { S3Error } from '../errors/errors.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { Answer } from '../contract/answer.ts'
import { xmlDeclaration } from '../xml/write.ts'
import { keptAlive } from './keep-alive.ts'

const options = { resource: '/b/k', requestId: 'ID', afterMs: 20, everyMs: 10 }
const done = xmlAnswer('Done', '', 'yes', { headers: { 'x-amz-version-id': 'v' } })

async function later<T>(ms: number, act: () => T | Promise<T>): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, ms))
  return act()
}

async function textOf({ body }: Answer, onText: (sent: string) => unknown): Promise<string> {
  let text = ''
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString()
    onText(text)
  }
  return text
}

/** An answer that waits until the test releases it. */
function slowly() {
  let resolve: (answer: Answer) => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const slow = new Promise<Answer>((onDone, onError) => {
    resolve = onDone
    reject = onError
  })
  return { slow, settle: { done: () => resolve(done), failed: (error: unknown) => reject(error) } }
}

describe('slow answers', () => {
  it('are ordinary answers when they come in time', async () => {
    expect(await keptAlive({ slow: Promise.resolve(done) }, options)).toBe(done)
  })

  it('are ordinary errors when they fail in time', async () => {
    const failing = later(1, () => Promise.reject(new S3Error('NoSuchUpload', 'No.')))
    await expect(keptAlive({ slow: failing }, options)).rejects.toMatchObject({ code: 'NoSuchUpload' })
  })

  it('begin with the declaration, go on with white space, and end with the document', async () => {
    const { slow, settle } = slowly()
    const answer = await keptAlive({ slow }, options)
    expect(answer.status).toBe(200)
    const text = await textOf(answer, (sent) => sent.endsWith('   ') && settle.done())
    expect(text.startsWith(xmlDeclaration)).toBe(true)
    expect(text.slice(xmlDeclaration.length)).toMatch(/^ {3,}<Done>yes<\/Done>$/)
  })

  it('begin with the headers that are known by then', async () => {
    const { slow, settle } = slowly()
    const early = async () => ({ 'x-amz-server-side-encryption': 'aws:kms' })
    const answer = await keptAlive({ slow, early }, options)
    settle.done()
    expect(answer.headers).toEqual({
      'content-type': 'application/xml',
      'x-amz-server-side-encryption': 'aws:kms',
    })
  })

  it('are ordinary answers when they come while their early headers are worked out', async () => {
    const { slow, settle } = slowly()
    const early = async () => {
      settle.done()
      return {}
    }
    expect(await keptAlive({ slow, early }, options)).toBe(done)
  })

  it('end with the error when they fail too late for a status', async () => {
    const errors: unknown[] = []
    const error = new S3Error('InternalError', 'No.')
    const { slow, settle } = slowly()
    const answer = await keptAlive({ slow }, { ...options, onLateError: (late) => errors.push(late) })
    expect(answer.status).toBe(200)
    const text = await textOf(answer, (sent) => sent.endsWith(' ') && settle.failed(error))
    expect(text).toMatch(/^<\?xml [^>]*>\n +<Error><Code>InternalError<\/Code>.*<\/Error>$/)
    expect(errors).toEqual([error])
  })
})
