// `node --import ./peak-memory.mjs …`: prints the most memory that the process has had, in MB.
process.on('exit', () => console.log(Math.round((process.resourceUsage().maxRSS * 1024) / 1e6)));
