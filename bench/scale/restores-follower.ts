/** A store for `restores` that follows a replica, and tells how far it is. `node restores-follower.js DIRECTORY REPLICA` */
import { openStore } from 'varve'

const [directory = '', replica = ''] = process.argv.slice(2)
const store = await openStore(directory, { follow: { from: replica, everyMs: 200 } })
const telling = setInterval(() => process.send?.(store.seq), 50)
process.once('message', () => {
  clearInterval(telling)
  void store.close().then(() => process.disconnect())
})
