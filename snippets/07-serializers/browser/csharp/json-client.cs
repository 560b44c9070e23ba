// System.Text.Json, which asks the class for its members. By hand: ./bench page 07

#:property PublishAot=false
#:project ../client
#:project ../../serializers/Json

Client.Start("json", new Serializers.JsonReflection());
