/** A word between the owner of a lock and who would like to have it: the owner says its process id, and hangs up. */
import { connect, type Socket } from 'node:net'
import { errnoOf } from '../files/errno.ts'

const answerMsMax = 250
const answerBytesMax = 64

/** What the owner does with everyone who calls. Nobody keeps it busy, and nobody's manners matter. */
export function answerAsHolder(socket: Socket): void {
  socket.unref()
  socket.on('error', () => undefined)
  socket.setTimeout(answerMsMax, () => socket.destroy())
  socket.end(`varve ${process.pid}\n`, () => socket.destroy())
}

/** The owner's process id; `silent` when it does not answer in time; `gone` when there is no owner any more. */
export function askHolder(path: string): Promise<number | 'silent' | 'gone'> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect({ path })
    const finish = (holder: number | 'silent' | 'gone') => {
      clearTimeout(timer)
      socket.destroy()
      resolve(holder)
    }
    const timer = setTimeout(() => finish('silent'), answerMsMax)
    const conclude = () => {
      const [, pid] = /^varve (\d{1,10})\n$/.exec(answer) ?? []
      finish(pid === undefined ? 'silent' : Number(pid))
    }
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (answer.length > answerBytesMax) conclude()
    })
    socket.on('error', (error) => (errnoOf(error) === 'ECONNREFUSED' ? finish('gone') : conclude()))
    socket.on('close', conclude)
  })
}
