/** An attack as bytes on connections: sent, read or not, and broken off. */
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { signRequest } from 'varve/http'
import { credentials } from '../bounds/support/served-store.ts'
import type { Attack } from './attack.ts'

export const narrowCredentials = { accessKeyId: 'NARROWATTACKER', secretAccessKey: 'another-secret-for-these-tests' }

/** Answers by status, as far as they were read. */
export type Statuses = Readonly<Record<number, number>>

const slowBytes = 16 * 1024

/** Attacks for so many milliseconds, less when everything was answered. */
export async function runAttack(attack: Attack, port: number, ms: number): Promise<Statuses> {
  const statuses: Record<number, number> = {}
  const sent = requestText(attack, port)
  const end = performance.now() + ms
  let open = attack.connections
  let answered = 0
  const sockets = Array.from({ length: attack.connections }, () => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('error', () => undefined).on('close', () => open--)
    read(socket, attack, (status) => {
      statuses[status] = (statuses[status] ?? 0) + 1
      answered++
    })
    socket.on('connect', () => void send(socket, attack, sent))
    return socket
  })
  const expected =
    attack.sending === 'stops' || attack.sending === 'head' || attack.reader === 'stalls'
      ? Number.POSITIVE_INFINITY
      : attack.connections * attack.pipelined
  while (performance.now() < end && open > 0 && answered < Math.max(1, expected)) await delay(5)
  for (const socket of sockets) socket.destroy()
  return statuses
}

function read(socket: Socket, { reader }: Attack, onStatus: (status: number) => void): void {
  if (reader === 'stalls') {
    socket.pause()
    return
  }
  socket.on('data', (chunk: Buffer) => {
    for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) onStatus(Number(status))
    if (reader !== 'slow' || chunk.length < slowBytes) return
    socket.pause()
    setTimeout(() => socket.resume(), 10)
  })
}

async function send(socket: Socket, { sending, pipelined }: Attack, { head, body }: RequestText): Promise<void> {
  if (pipelined === 0) return
  if (sending === 'whole') {
    const whole = Buffer.concat([head, body])
    for (let at = 0; at < pipelined && !socket.destroyed; at++) socket.write(whole)
    return
  }
  if (sending === 'head') return void socket.write(head.subarray(0, Math.floor(head.length * 0.9)))
  socket.write(head)
  const pieces = sending === 'stops' ? 1 : 64
  const until = sending === 'stops' ? Math.floor(body.length * 0.9) : body.length
  const length = Math.ceil(until / pieces)
  for (let at = 0; at < until && !socket.destroyed; at += length) {
    socket.write(body.subarray(at, Math.min(until, at + length)))
    await delay(1)
  }
}

interface RequestText {
  readonly head: Buffer
  readonly body: Buffer
}

function requestText({ request, by, chunked }: Attack, port: number): RequestText {
  const { method, target, headers, body } = request
  const host = `127.0.0.1:${port}`
  const framing: Record<string, string> = chunked
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': String(body.length) }
  const all = { host, ...framing, ...headers }
  const lines = by === 'nobody' ? Object.entries(all) : signed(method, target, all, by)
  const head = `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return { head: Buffer.from(head, 'latin1'), body: chunked ? inChunks(body) : body }
}

function signed(method: string, target: string, headers: Readonly<Record<string, string>>, by: 'root' | 'narrow') {
  const [rawPath = '', rawQuery = ''] = target.split('?')
  const { headers: all } = signRequest(
    { method, rawPath, rawQuery, headers: Object.entries(headers) },
    {
      ...(by === 'root' ? credentials : narrowCredentials),
      region: 'eu',
      now: Date.now(),
      payloadHash: 'UNSIGNED-PAYLOAD',
    },
  )
  return all
}

function inChunks(body: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; at += 1000) {
    const piece = body.subarray(at, at + 1000)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}
