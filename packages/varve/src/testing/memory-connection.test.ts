import { createServer, request, type ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { connectionPair, MemoryAgent } from './memory-connection.ts'

/** Reads to the end, and leaves the other direction open. */
function textOf(stream: Readable): Promise<string> {
  let text = ''
  stream.on('data', (chunk) => (text += chunk))
  return new Promise((resolve) => stream.on('end', () => resolve(text)))
}

describe('a connection in memory', () => {
  it('passes on what is written, in order, and ends when its other end does', async () => {
    const [client, server] = connectionPair()
    client.write('one ')
    client.end('two')
    expect(await textOf(server)).toBe('one two')
    server.end('three')
    expect(await textOf(client)).toBe('three')
  })

  it('copies what is written, since the writer may use its buffer again', async () => {
    const [client, server] = connectionPair()
    const bytes = Buffer.from('bytes')
    client.write(bytes)
    bytes.fill('x')
    client.end()
    expect(await textOf(server)).toBe('bytes')
  })

  it('lets a writer wait for a reader', async () => {
    const [client, server] = connectionPair()
    let written = 0
    for (let i = 0; i < 10; i++) client.write(Buffer.alloc(100_000), () => written++)
    await pause(20)
    expect(written).toBeLessThan(3)
    client.end()
    expect(await textOf(server)).toHaveLength(1_000_000)
    expect(written).toBe(10)
  })

  it('delivers what was sent before it was destroyed, and takes nothing any more', async () => {
    const [client, server] = connectionPair()
    server.write('the last words')
    server.destroy()
    expect(await textOf(client)).toBe('the last words')
    const failed = new Promise((resolve) => client.once('error', resolve))
    client.write('an answer')
    expect(await failed).toMatchObject({ code: 'ECONNRESET' })
  })

  it('fails a write that waits when the reader is destroyed', async () => {
    const [client, server] = connectionPair()
    const failed = new Promise((resolve) => client.once('error', resolve))
    client.write(Buffer.alloc(1_000_000))
    server.destroy()
    expect(await failed).toMatchObject({ code: 'ECONNRESET' })
    expect(client.destroyed).toBe(true)
  })
})

async function sendSlowly(response: ServerResponse): Promise<void> {
  for (let i = 0; i < 8; i++) {
    response.write('.')
    await pause(30)
  }
  response.end()
}

describe('an agent with connections in memory', () => {
  it('ends a request that takes too long, but none that moves', async () => {
    const server = createServer((incoming, response) => {
      incoming.resume()
      if (incoming.url === '/moving') void sendSlowly(response)
    })
    const agent = new MemoryAgent(() => {
      const [client, other] = connectionPair()
      server.emit('connection', other)
      return client
    })
    const outcomeOf = (path: string) =>
      new Promise((resolve) => {
        const sent = request({ path, agent, timeout: 150 })
        sent.on('timeout', () => sent.destroy(new Error('too slow')))
        sent.on('error', ({ message }) => resolve(message))
        sent.on('response', (answer) => void textOf(answer).then(resolve))
        sent.end()
      })
    expect(await outcomeOf('/moving')).toBe('........')
    expect(await outcomeOf('/silent')).toBe('too slow')
    agent.destroy()
    server.closeAllConnections()
  })
})
