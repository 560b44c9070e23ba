// Namespaces of .NET Interactive that notebooks name in a using, and often use nothing of: a using
// alone is no error. They are empty here but for a mark, as C# has no empty namespaces.

namespace Microsoft.DotNet.Interactive.Connection
{
    static class Mark;
}

namespace Microsoft.DotNet.Interactive.CSharp
{
    static class Mark;
}

namespace Microsoft.DotNet.Interactive.Documents
{
    static class Mark;
}

namespace Microsoft.DotNet.Interactive.Events
{
    static class Mark;
}

namespace Microsoft.DotNet.Interactive.Formatting.TabularData
{
    static class Mark;
}

namespace Microsoft.DotNet.Interactive.ValueSharing
{
    static class Mark;
}
