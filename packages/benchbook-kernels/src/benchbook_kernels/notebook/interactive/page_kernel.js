// What scripts for the page know as `kernel` and `polyglotNotebooks` in .NET Interactive's notebooks. Scripts register
// handlers for commands, which C# cells send: await Kernel.Root.SendAsync(new MyCommand("javascript")).
window.benchbookKernel ??= (() => {
  const handlers = {};
  const take = (command) => {
    const handle = handlers[command.commandType];
    if (handle) return handle({ commandEnvelope: command });
    throw new Error(
      `no script of the page handles ${command.commandType}, and the page can't run code in other kernels: ` +
        'write a cell in its language, and carry values with #!share',
    );
  };
  const named = (name) => ({
    name,
    registerCommandHandler: ({ commandType, handle }) => {
      handlers[commandType] = handle;
    },
    send: async (command) => take(command),
  });
  const all = ['.NET', 'csharp', 'html', 'javascript', 'markdown', 'mermaid'].map(named);
  const root = Object.assign(all[0], {
    findKernelByName: (name) => all.find((kernel) => kernel.name === name),
    findKernels: (test) => all.filter(test),
  });
  class KernelCommandEnvelope {
    constructor(commandType, command) {
      Object.assign(this, { commandType, command });
    }
  }
  return {
    root,
    handle: take,
    polyglotNotebooks: { KernelCommandEnvelope, SubmitCodeType: 'SubmitCode' },
  };
})();
