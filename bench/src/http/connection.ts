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

interface Line {
  /** False once the server has ended it, or an answer was none. */
  readonly isOpen: boolean
  /** True after the first byte that the server sent for the last request. */
  readonly isAnswered: boolean
  readonly answers: number
  send(head: string, body: Uint8Array | undefined): Promise<Answer>
  close(): void
}

/**
 * A server may close a connection that was idle while a request is on its way. Such a request is sent once more, on a new connection,
 * unless that could do its work twice: RFC 9112, section 9.3.1.
 */
export async function openConnection(host: string, port: number): Promise<Connection> {
  let line = await dial(host, port)
  const redial = async (): Promise<Line> => {
    line.close()
    line = await dial(host, port)
    return line
  }
  return {
    async request(head, body) {
      const used = line.isOpen ? line : await redial()
      const isIdle = used.answers > 0 && !head.startsWith('POST ')
      try {
        return await used.send(head, body)
      } catch (error) {
        if (!isIdle || used.isAnswered) throw error
        return (await redial()).send(head, body)
      }
    },
    close: () => line.close(),
  }
}

async function dial(host: string, port: number): Promise<Line> {
  const socket = connect({ host, port, noDelay: true })
  await once(socket, 'connect')
  return lineOn(socket)
}

function lineOn(socket: Socket): Line {
  let waiting: Waiting | undefined
  let [isOpen, isAnswered, answers] = [true, false, 0]

  const fail = (error: Error): void => {
    isOpen = false
    waiting?.reject(error)
    waiting = undefined
  }
  socket.on('data', (piece: Buffer) => {
    isAnswered = true
    try {
      const answer = waiting?.reader.add(piece)
      if (answer === undefined) return
      if (answer.headers.get('connection') === 'close') isOpen = false
      answers++
      waiting?.resolve(answer)
      waiting = undefined
    } catch (error) {
      fail(error as Error)
    }
  })
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The server hung up.')))

  return {
    get isOpen() {
      return isOpen
    },
    get isAnswered() {
      return isAnswered
    },
    get answers() {
      return answers
    },
    send: (head, body) =>
      new Promise<Answer>((resolve, reject) => {
        isAnswered = false
        waiting = { reader: answerReader(head.startsWith('HEAD ')), resolve, reject }
        socket.cork()
        socket.write(head, 'latin1')
        if (body !== undefined) socket.write(body)
        socket.uncork()
      }),
    close: () => void socket.removeAllListeners('close').destroy(),
  }
}
