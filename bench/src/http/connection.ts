/** One connection that is kept alive, with one request at a time: a client that uses little processor time. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Answer, type AnswerReader, answerReader } from './answer-reader.ts'

export interface Connection {
  request(head: string, body?: Uint8Array): Promise<Answer>
  close(): void
}

interface Waiting {
  readonly reader: AnswerReader
  resolve(answer: Answer): void
  reject(error: Error): void
}

export async function openConnection(host: string, port: number): Promise<Connection> {
  let socket = await dial(host, port)
  let waiting: Waiting | undefined
  let ended = false

  const fail = (error: Error): void => {
    ended = true
    waiting?.reject(error)
    waiting = undefined
  }
  const listen = (to: Socket): void => {
    to.on('data', (piece: Buffer) => {
      try {
        const answer = waiting?.reader.add(piece)
        if (answer === undefined) return
        if (answer.headers.get('connection') === 'close') ended = true
        waiting?.resolve(answer)
        waiting = undefined
      } catch (error) {
        fail(error as Error)
      }
    })
    to.on('error', fail)
    to.on('close', () => fail(new Error('The server hung up.')))
  }
  listen(socket)

  return {
    async request(head, body) {
      if (ended) {
        socket.removeAllListeners('close').destroy()
        socket = await dial(host, port)
        ended = false
        listen(socket)
      }
      return new Promise<Answer>((resolve, reject) => {
        waiting = { reader: answerReader(head.startsWith('HEAD ')), resolve, reject }
        socket.cork()
        socket.write(head, 'latin1')
        if (body !== undefined) socket.write(body)
        socket.uncork()
      })
    },
    close: () => void socket.removeAllListeners('close').destroy(),
  }
}

async function dial(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true })
  await once(socket, 'connect')
  return socket
}
