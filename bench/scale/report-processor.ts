/** Loaded into a server before it starts: answers each message with the processor time of the process, in milliseconds. */
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1000)
})
// The server ends when it is stopped, and not when it is no longer measured.
process.channel?.unref()
