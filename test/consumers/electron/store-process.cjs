const { openStore } = require('varve')

/** Owns the store: `utilityProcess.fork(join(__dirname, 'store-process.cjs'), [dir])` in the main process starts it. */
async function main(dir) {
  const store = await openStore(dir)
  await store.buckets.ensure('notes')
  await store.objects.put('notes', 'today', 'water the plants')
  console.log(await (await store.objects.get('notes', 'today')).text())
  await store.close()
}

void main(process.argv[2])
